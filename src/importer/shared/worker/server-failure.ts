/** The store refuses something for good, such as a table that its user may not use; `cause` says what. */
export class ServerFailure extends Error {
  constructor(cause: unknown) {
    super('the store refuses a statement', { cause });
  }
}

/** Marks the errors of what is asked of the store, so that they do not pass for errors of an item. */
export async function fromServer<T>(answer: Promise<T>): Promise<T> {
  return answer.catch((error: unknown) => {
    throw new ServerFailure(error);
  });
}
