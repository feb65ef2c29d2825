/** The known values, for completion in editors, and any other text: the service may add values without notice (spec: Versioning 2). */
export type OpenEnum<Known extends string> = Known | (string & {});
