import { code, type Recipe } from './recipe.js';

/** Answer at the URL itself, with a slash at its end or without. */
export const redirect: Recipe = {
  Express: code`
    app.post('/hook', handler); // answers /hook/ as well
    app.use(httpsRedirect); // below the route, so that it does not redirect events
  `,
  'Next.js': code`
    // next.config.mjs
    export default { trailingSlash: false, skipTrailingSlashRedirect: true };
  `,
  Fastify: code`
    const app = fastify({ routerOptions: { ignoreTrailingSlash: true } });
  `,
  FastAPI: code`
    app = FastAPI(redirect_slashes=False)

    @app.post("/hook")
    @app.post("/hook/", include_in_schema=False)
    async def hook(request: Request): ...
  `,
  Flask: code`
    @app.post("/hook", strict_slashes=False)
    def hook(): ...
  `,
  Go: code`
    mux.HandleFunc("POST /hook", hook)
    mux.HandleFunc("POST /hook/{$}", hook) // without it, "/hook/" alone redirects
  `,
  Rails: code`
    # config/environments/production.rb
    config.ssl_options = { redirect: { exclude: ->(r) { r.path.start_with?("/hook") } } }
  `,
  Laravel: code`
    // Register the URL without a slash at its end: public/.htaccess redirects the other.
    // A route in routes/api.php has /api in front: https://example.com/api/hook
    Route::post('/hook', HookController::class);
  `,
};
