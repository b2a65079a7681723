import { code, type Snippet } from './snippet.js';

/** Meta: answer a GET that has the right token with its `hub.challenge`. */
export const handshakeMeta: Snippet = {
  Express: code`
    app.get('/hook', (req, res) => {
      const { 'hub.verify_token': token, 'hub.challenge': challenge } = req.query;
      if (!token || token !== process.env.META_TOKEN) return res.sendStatus(403);
      res.type('text/plain').send(String(challenge));
    });
  `,
  'Next.js': code`
    // app/hook/route.js, beside POST
    export function GET(request) {
      const query = new URL(request.url).searchParams;
      const token = query.get('hub.verify_token');
      if (!token || token !== process.env.META_TOKEN) return new Response(null, { status: 403 });
      return new Response(query.get('hub.challenge'));
    }
  `,
  Fastify: code`
    app.get('/hook', async ({ query }, reply) => {
      const { 'hub.verify_token': token, 'hub.challenge': challenge } = query;
      if (!token || token !== process.env.META_TOKEN) return reply.code(403).send();
      return reply.type('text/plain').send(challenge);
    });
  `,
  FastAPI: code`
    import os
    from fastapi import Request, Response

    @app.get("/hook")
    async def verify(request: Request):
        token = request.query_params.get("hub.verify_token")
        if not token or token != os.environ.get("META_TOKEN"):
            return Response(status_code=403)
        return Response(request.query_params.get("hub.challenge"), media_type="text/plain")
  `,
  Flask: code`
    import os
    from flask import request

    @app.get("/hook")
    def verify():
        token = request.args.get("hub.verify_token")
        if not token or token != os.environ.get("META_TOKEN"):
            return "", 403
        return request.args.get("hub.challenge", ""), 200, {"Content-Type": "text/plain"}
  `,
  Go: code`
    package main

    import (
        "io"
        "net/http"
        "os"
    )

    // For GET, beside the handler of the webhook.
    func verifyToken(w http.ResponseWriter, r *http.Request) {
        token := r.URL.Query().Get("hub.verify_token")
        if token == "" || token != os.Getenv("META_TOKEN") {
            w.WriteHeader(http.StatusForbidden)
            return
        }
        w.Header().Set("Content-Type", "text/plain")
        io.WriteString(w, r.URL.Query().Get("hub.challenge"))
    }
  `,
  Rails: code`
    # In config/routes.rb: get "/hook", to: "meta#show"
    class MetaController < ActionController::API
      def show
        token = params["hub.verify_token"]
        return head :forbidden if token.blank? || token != ENV["META_TOKEN"]
        render plain: params["hub.challenge"]
      end
    end
  `,
  Laravel: code`
    use Illuminate\Http\Request;
    use Illuminate\Support\Facades\Route;

    Route::get('/hook', function (Request $request) { // PHP turns . into _
        $token = $request->query('hub_verify_token');
        abort_unless($token && $token === env('META_TOKEN'), 403);
        return response($request->query('hub_challenge'))->header('Content-Type', 'text/plain');
    });
  `,
};
