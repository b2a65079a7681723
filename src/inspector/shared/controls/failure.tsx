/** Stands for the page when the program does not let it in. */
export function Failure({ message }: { readonly message: string }) {
  return (
    <main class="failure">
      <h1>This page cannot start</h1>
      <p>{message}</p>
      <button class="button" onClick={() => location.reload()}>
        Try again
      </button>
    </main>
  );
}
