import { scopeOf } from '../app/app.js';
import { isOperatorPage } from '../app/route.js';
import { useUi } from '../ui/context.js';
import { Empty, Heading } from '../ui/parts.js';
import { ApprovalsView } from './approvals.js';
import { AuditView, TrailView } from './audit.js';
import { FileView } from './file.js';
import { ClockView } from './clock.js';
import { DeliveriesView, DeliveryView } from './deliveries.js';
import { EventsView, EventView } from './events.js';
import { HomeView } from './home.js';
import { ObjectView } from './object.js';
import { OperationsView, OperationView, WalletsView } from './legs.js';
import { PartnersView, PartnerView, WorkView } from './operators.js';
import { DeadLettersView, PoolsView } from './pools.js';
import { SessionView } from './session.js';
import { SessionsView } from './sessions.js';
import { BrandingView, DomainsView, EndpointView, KeysView, PasskeysView, TeamView } from './settings.js';
import { TransactionsView, TransactionView } from './transactions.js';

const VIEWS = {
  home: HomeView,
  sessions: SessionsView,
  session: SessionView,
  transactions: TransactionsView,
  transaction: TransactionView,
  events: EventsView,
  event: EventView,
  deliveries: DeliveriesView,
  delivery: DeliveryView,
  object: ObjectView,
  endpoint: EndpointView,
  keys: KeysView,
  clock: ClockView,
  file: FileView,
  domains: DomainsView,
  branding: BrandingView,
  team: TeamView,
  passkeys: PasskeysView,
  audit: AuditView,
  approvals: ApprovalsView,
  partners: PartnersView,
  partner: PartnerView,
  work: WorkView,
  pools: PoolsView,
  dead_letters: DeadLettersView,
  wallets: WalletsView,
  operations: OperationsView,
  operation: OperationView,
  trail: TrailView,
} as const;

/** The page that the address names. */
export function ScreenView() {
  const { app, t } = useUi();
  const { page } = app.route;
  if (page === null)
    return (
      <>
        <Heading title={t.console} />
        <Empty text={t.unknownPage} />
      </>
    );
  if (scopeOf(app) === null && !isOperatorPage(page.name))
    return (
      <>
        <Heading title={t.pages[page.name]} />
        <Empty text={t.noPartner} />
      </>
    );
  const View = VIEWS[page.name];
  return <View key={`${page.name} ${page.id ?? ''}`} id={page.id ?? ''} />;
}
