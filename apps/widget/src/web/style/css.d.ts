/** A lazily loaded step imports its styles in its script. */
declare module '*.css';
