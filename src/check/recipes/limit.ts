import { code, type Recipe } from './recipe.js';

/** Say when to come back with each 429. */
export const limit: Recipe = {
  Express: code`
    if (isBusy()) return res.set('Retry-After', '5').sendStatus(429); // seconds
  `,
  'Next.js': code`
    const headers = { 'Retry-After': '5' }; // seconds
    if (isBusy()) return new Response(null, { status: 429, headers });
  `,
  Fastify: code`
    if (isBusy()) return reply.code(429).header('Retry-After', '5').send(); // seconds
  `,
  FastAPI: code`
    if is_busy():
        raise HTTPException(429, headers={"Retry-After": "5"})  # seconds
  `,
  Flask: code`
    if is_busy():
        return "", 429, {"Retry-After": "5"}  # seconds
  `,
  Go: code`
    if isBusy() {
        w.Header().Set("Retry-After", "5") // seconds
        w.WriteHeader(http.StatusTooManyRequests)
        return
    }
  `,
  Rails: code`
    if busy?
      response.set_header("Retry-After", "5") # seconds
      return head :too_many_requests
    end
  `,
  Laravel: code`
    Route::post('/hook', HookController::class)
        ->middleware('throttle:600,1'); // 600 a minute; sets Retry-After by itself
  `,
};
