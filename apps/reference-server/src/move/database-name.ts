import { databaseHosts } from '../database/hosts.js';

/** The name of a database for messages and for the note in the folder, without user and password. */
export function databaseName(url: string): string {
  const hosts = databaseHosts(url);
  return `postgres://${hosts?.places.replaceAll(', ', ',') ?? ''}/${hosts?.database ?? ''}`;
}
