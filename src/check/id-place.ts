/**
 * Where the id of an event stands, by which a receiver recognizes a repeat: in a header, or in a member of the
 * body (in a form, a path of one name is that of a field).
 */
export type IdPlace = { readonly header: string } | { readonly path: readonly string[] };
