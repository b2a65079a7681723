/** Stands for the page when the receiver does not let it in. */
export function Failure({ message }: { readonly message: string }) {
  return (
    <main class="failure">
      <h1>The inspector cannot start</h1>
      <p>{message}</p>
      <button class="button" onClick={() => location.reload()}>
        Try again
      </button>
    </main>
  );
}
