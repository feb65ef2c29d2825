/**
 * URL of a Postgres to test with: the one TEST_DATABASE_URL names, otherwise one that this run starts for itself.
 * `stock` asks for the machine's own Postgres as it comes, rather than the one from npm. A run that can have none
 * fails; nothing is ever skipped.
 */
export async function testDatabaseUrl({ stock = false }: { stock?: boolean } = {}): Promise<string> {
  const given = process.env.TEST_DATABASE_URL;
  if (given) return given;
  const services = process.env.GATERAMP_TEST_SERVICES;
  if (!services) throw new Error('No Postgres to test with: run the tests through vitest, or set TEST_DATABASE_URL.');
  const answer = await fetch(`${services}/postgres${stock ? '/stock' : ''}`);
  const text = await answer.text();
  if (!answer.ok) throw new Error(text);
  return text;
}
