/** Styles of a step that is fetched when it is shown come with its script. */
declare module '*.css';
