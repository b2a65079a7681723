import { code, type Snippet } from './snippet.js';

/** CloudEvents: answer OPTIONS with the origin that may send, and how often. */
export const handshakeCloudevents: Snippet = {
  Express: code`
    app.options('/hook', (req, res) => {
      res.set('WebHook-Allowed-Origin', req.get('WebHook-Request-Origin') ?? '*');
      res.set('WebHook-Allowed-Rate', '120').sendStatus(200); // requests per minute
    });
  `,
  'Next.js': code`
    // app/hook/route.js, beside POST
    export function OPTIONS(request) {
      const origin = request.headers.get('WebHook-Request-Origin') ?? '*';
      const headers = { 'WebHook-Allowed-Origin': origin, 'WebHook-Allowed-Rate': '120' };
      return new Response(null, { headers }); // the rate: requests per minute
    }
  `,
  Fastify: code`
    app.options('/hook', async (request, reply) => {
      reply.header('WebHook-Allowed-Origin', request.headers['webhook-request-origin'] ?? '*');
      return reply.header('WebHook-Allowed-Rate', '120').send(); // requests per minute
    });
  `,
  FastAPI: code`
    from fastapi import Request, Response

    @app.options("/hook")
    async def allow(request: Request):
        origin = request.headers.get("WebHook-Request-Origin", "*")
        headers = {"WebHook-Allowed-Origin": origin, "WebHook-Allowed-Rate": "120"}
        return Response(headers=headers)  # the rate: requests per minute
  `,
  Flask: code`
    from flask import request

    # Above @app.post("/hook"), which answers OPTIONS by itself:
    @app.route("/hook", methods=["OPTIONS"], provide_automatic_options=False)
    def allow():
        origin = request.headers.get("WebHook-Request-Origin", "*")
        headers = {"WebHook-Allowed-Origin": origin, "WebHook-Allowed-Rate": "120"}
        return "", 200, headers  # the rate: requests per minute
  `,
  Go: code`
    package main

    import "net/http"

    // Around the handler of the webhook.
    func withValidation(hook http.HandlerFunc) http.HandlerFunc {
        return func(w http.ResponseWriter, r *http.Request) {
            if r.Method != http.MethodOptions {
                hook(w, r)
                return
            }
            w.Header().Set("WebHook-Allowed-Origin", r.Header.Get("WebHook-Request-Origin"))
            w.Header().Set("WebHook-Allowed-Rate", "120") // requests per minute
        }
    }
  `,
  Rails: code`
    # In config/routes.rb: match "/hook", via: :options, to: "validation#allow"
    class ValidationController < ActionController::API
      def allow
        origin = request.headers["WebHook-Request-Origin"] || "*"
        response.set_header("WebHook-Allowed-Origin", origin)
        response.set_header("WebHook-Allowed-Rate", "120") # requests per minute
        head :ok
      end
    end
  `,
  Laravel: code`
    use Illuminate\Http\Request;
    use Illuminate\Support\Facades\Route;

    Route::options('/hook', fn (Request $request) => response('')
        ->header('WebHook-Allowed-Origin', $request->header('WebHook-Request-Origin', '*'))
        ->header('WebHook-Allowed-Rate', '120')); // requests per minute
  `,
};
