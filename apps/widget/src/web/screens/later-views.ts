export { Receipt } from '../ui/receipt.js';
export { CodeView } from './code/code-view.js';
export { DepositView } from './deposit/deposit-view.js';
export { IdentityView } from './identity/identity-view.js';
export { RemoveSheet, SavedCards } from './payment/saved-cards.js';
export { TransferView } from './transfer/transfer-view.js';
export { ComponentView } from './visit/component-view.js';
export { VisitView } from './visit/visit-view.js';
