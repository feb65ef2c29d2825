/** Members of resources in the forms of the contract. */
export { decimal, mode, objectId, refid, time, wireType } from '../http/schema/members.js';
