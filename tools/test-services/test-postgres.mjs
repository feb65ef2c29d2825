/**
 * URL of a Postgres to test with: the one TEST_DATABASE_URL names, otherwise one that this run starts for itself. On CI (`CI=true`) a run
 * that can have neither fails; nothing is ever skipped.
 * @returns {Promise<string>}
 */
export async function testDatabaseUrl() {
  const given = process.env.TEST_DATABASE_URL;
  if (given) return given;
  const services = process.env.GATERAMP_TEST_SERVICES;
  if (!services) throw new Error('No Postgres to test with: run the tests through vitest, or set TEST_DATABASE_URL.');
  const answer = await fetch(`${services}/postgres`);
  const text = await answer.text();
  if (!answer.ok) throw new Error(text);
  return text;
}
