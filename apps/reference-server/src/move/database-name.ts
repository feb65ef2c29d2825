import { databaseHosts } from '../database/hosts.js';

/** Names a database for people and for the note that is left in the folder: no user and no password. */
export function databaseName(url: string): string {
  const hosts = databaseHosts(url);
  return `postgres://${hosts?.places.replaceAll(', ', ',') ?? ''}/${hosts?.database ?? ''}`;
}
