/** This package cannot use the file: it is of a later version, lacks the settings that its rows depend on, or is not on a local disk. */
export class InstallationError extends Error {
  override readonly name = 'InstallationError';
}
