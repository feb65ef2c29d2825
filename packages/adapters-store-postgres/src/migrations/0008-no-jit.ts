/**
 * Postgres up to 17 says "not this way" by adding 1e10 to a cost, and takes a plan that costs so much for one worth compiling. With LLVM,
 * which distributions and most hosts ship, that took up to a second at each claim. So whatever steers the planner also keeps it from compiling.
 *
 * A later `create or replace` of one of these functions drops its settings: it has to say all of them again, this one too.
 */
export const noJit = `
alter function gate.commit_changes(json, json, json, json, json, json, json, json, json, json, json, json, json, json) set jit = off;
alter function gate.claim_deliveries(text, bigint, bigint, int, int, bigint, text) set jit = off;
alter function gate.claim_delivery(text, text, bigint, bigint, text) set jit = off;
alter function gate.claim_tasks(bigint, bigint, int, bigint, text) set jit = off;
alter function gate.settle_deliveries(json) set jit = off;
alter function gate.next_due(text) set jit = off;
`;
