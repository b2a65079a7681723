import { code, type Recipe } from './recipe.js';

/** Meta: answer a GET that has the right token with its `hub.challenge`. */
export const handshakeMeta: Recipe = {
  Express: code`
    app.get('/hook', (req, res) => {
      if (req.query['hub.verify_token'] !== token) return res.sendStatus(403);
      res.type('text/plain').send(req.query['hub.challenge']);
    });
  `,
  'Next.js': code`
    export function GET(request) {
      const query = request.nextUrl.searchParams;
      const isRight = query.get('hub.verify_token') === process.env.META_TOKEN;
      if (!isRight) return new Response(null, { status: 403 });
      return new Response(query.get('hub.challenge'));
    }
  `,
  Fastify: code`
    app.get('/hook', async ({ query }, reply) => {
      if (query['hub.verify_token'] !== token) return reply.code(403).send();
      return reply.type('text/plain').send(query['hub.challenge']);
    });
  `,
  FastAPI: code`
    @app.get("/hook")
    async def verify(request: Request):
        if request.query_params.get("hub.verify_token") != token:
            raise HTTPException(403)
        return PlainTextResponse(request.query_params.get("hub.challenge", ""))
  `,
  Flask: code`
    @app.get("/hook")
    def verify():
        if request.args.get("hub.verify_token") != token:
            abort(403)
        return request.args.get("hub.challenge", ""), {"Content-Type": "text/plain"}
  `,
  Go: code`
    if r.URL.Query().Get("hub.verify_token") != token {
        w.WriteHeader(http.StatusForbidden)
        return
    }
    w.Header().Set("Content-Type", "text/plain")
    io.WriteString(w, r.URL.Query().Get("hub.challenge"))
  `,
  Rails: code`
    def show # get "/hook", to: "hooks#show"
      return head :forbidden if params["hub.verify_token"] != token
      render plain: params["hub.challenge"]
    end
  `,
  Laravel: code`
    Route::get('/hook', function (Request $request) { // PHP turns . into _
        abort_unless($request->query('hub_verify_token') === config('hook.token'), 403);
        return response($request->query('hub_challenge'))
            ->header('Content-Type', 'text/plain');
    });
  `,
};
