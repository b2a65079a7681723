import { code, type Recipe } from './recipe.js';

/** Answer 405 to everything but POST. */
export const methods: Recipe = {
  Express: code`
    app.post('/hook', handler);
    app.all('/hook', (req, res) => res.set('Allow', 'POST').sendStatus(405));
  `,
  'Next.js': code`
    // A route.js that exports only POST answers 405 to other methods.
    export async function POST(request) {}
  `,
  Fastify: code`
    app.get('/hook', async (request, reply) =>
      reply.code(405).header('Allow', 'POST').send(),
    ); // answers HEAD as well
  `,
  FastAPI: code`
    @app.post("/hook")  # answers 405 to other methods; not @app.api_route
    async def hook(request: Request): ...
  `,
  Flask: code`
    @app.post("/hook")  # answers 405 to other methods; not @app.route
    def hook(): ...
  `,
  Go: code`
    mux.HandleFunc("POST /hook", hook) // since Go 1.22; other methods are answered 405
  `,
  Rails: code`
    post "/hook", to: "hooks#create"
    match "/hook", via: :all, to: ->(_) { [405, { "allow" => "POST" }, []] }
  `,
  Laravel: code`
    Route::post('/hook', HookController::class); // answers 405 to other methods; not any()
  `,
};
