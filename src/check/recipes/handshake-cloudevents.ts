import { code, type Recipe } from './recipe.js';

/** CloudEvents: answer OPTIONS with the origin that may send, and how often. */
export const handshakeCloudevents: Recipe = {
  Express: code`
    app.options('/hook', (req, res) => {
      res.set('WebHook-Allowed-Origin', req.get('WebHook-Request-Origin'));
      res.set('WebHook-Allowed-Rate', '120').sendStatus(200); // requests per minute
    });
  `,
  'Next.js': code`
    export function OPTIONS(request) {
      const origin = request.headers.get('WebHook-Request-Origin') ?? '*';
      const headers = { 'WebHook-Allowed-Origin': origin, 'WebHook-Allowed-Rate': '120' };
      return new Response(null, { headers }); // the rate: requests per minute
    }
  `,
  Fastify: code`
    app.options('/hook', async (request, reply) => {
      reply.header('WebHook-Allowed-Origin', request.headers['webhook-request-origin']);
      return reply.header('WebHook-Allowed-Rate', '120').send(); // requests per minute
    });
  `,
  FastAPI: code`
    @app.options("/hook")
    async def allow(request: Request):
        origin = request.headers.get("WebHook-Request-Origin", "*")
        headers = {"WebHook-Allowed-Origin": origin, "WebHook-Allowed-Rate": "120"}
        return Response(headers=headers)  # the rate: requests per minute
  `,
  Flask: code`
    # Above @app.post("/hook"), which answers OPTIONS by itself:
    @app.route("/hook", methods=["OPTIONS"], provide_automatic_options=False)
    def allow():
        origin = request.headers.get("WebHook-Request-Origin", "*")
        headers = {"WebHook-Allowed-Origin": origin, "WebHook-Allowed-Rate": "120"}
        return "", 200, headers  # the rate: requests per minute
  `,
  Go: code`
    mux.HandleFunc("OPTIONS /hook", func(w http.ResponseWriter, r *http.Request) {
        w.Header().Set("WebHook-Allowed-Origin", r.Header.Get("WebHook-Request-Origin"))
        w.Header().Set("WebHook-Allowed-Rate", "120") // requests per minute
    })
  `,
  Rails: code`
    def allow # match "/hook", via: :options, to: "hooks#allow"
      origin = request.headers["WebHook-Request-Origin"].to_s
      response.set_header("WebHook-Allowed-Origin", origin)
      response.set_header("WebHook-Allowed-Rate", "120") # requests per minute
      head :ok
    end
  `,
  Laravel: code`
    Route::options('/hook', fn (Request $request) => response('')
        ->header('WebHook-Allowed-Origin', $request->header('WebHook-Request-Origin'))
        ->header('WebHook-Allowed-Rate', '120')); // requests per minute
  `,
};
