/**
 * URL of a Redis to test with: the one TEST_REDIS_URL names, otherwise one that this run starts for itself. Tests in it keep apart by their
 * prefixes and never flush it; those that break Redis start one of their own. A run that can have neither fails; nothing is ever skipped.
 */
export async function testRedisUrl(): Promise<string> {
  const given = process.env.TEST_REDIS_URL;
  if (given) return given;
  const services = process.env.GATERAMP_TEST_SERVICES;
  if (!services) throw new Error('No Redis to test with: run the tests through vitest, or set TEST_REDIS_URL.');
  const answer = await fetch(`${services}/redis`);
  const text = await answer.text();
  if (!answer.ok) throw new Error(text);
  return text;
}
