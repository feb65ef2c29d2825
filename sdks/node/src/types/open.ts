/** The values that are known, for editors to offer, and any other text: the service may add values without notice (spec: Versioning 2). */
export type OpenEnum<Known extends string> = Known | (string & {});
