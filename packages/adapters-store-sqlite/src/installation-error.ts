/** The file cannot be served by this package: of a later version, without what its rows were made with, or no file on a disk. */
export class InstallationError extends Error {
  override readonly name = 'InstallationError';
}
