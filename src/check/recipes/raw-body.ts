import { code, type Recipe } from './recipe.js';

/** Verify the bytes that came, before anything parses them. */
export const rawBody: Recipe = {
  Express: code`
    // Above app.use(express.json()), which leaves no bytes to verify:
    app.post('/hook', express.raw({ type: '*/*', limit: '1mb' }), (req, res) => {
      if (!isSigned(req.body, req.get('X-Signature'))) return res.sendStatus(401);
      const event = JSON.parse(req.body); // only now
      res.sendStatus(204);
    });
  `,
  'Next.js': code`
    const body = await request.text(); // not request.json()
    if (!isSigned(body, request.headers.get('X-Signature')))
      return new Response(null, { status: 401 });
    const event = JSON.parse(body); // only now
  `,
  Fastify: code`
    app.removeAllContentTypeParsers();
    app.addContentTypeParser('*', { parseAs: 'buffer' }, async (request, body) => body);
    app.addHook('preHandler', async ({ body, headers }, reply) => {
      if (!isSigned(body, headers['x-signature'])) return reply.code(401).send();
    });
  `,
  FastAPI: code`
    @app.post("/hook")
    async def hook(request: Request):  # no model as a parameter
        body = await request.body()
        if not is_signed(body, request.headers.get("X-Signature", "")):
            raise HTTPException(401)
        event = json.loads(body)  # only now
  `,
  Flask: code`
    body = request.get_data()  # before request.json and request.form
    if not is_signed(body, request.headers.get("X-Signature", "")):
        abort(401)
    event = json.loads(body)  # only now
  `,
  Go: code`
    body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 1<<20))
    if err != nil || !isSigned(body, r.Header.Get("X-Signature")) {
        http.Error(w, "wrong signature", http.StatusUnauthorized)
        return
    }
    err = json.Unmarshal(body, &event) // only now
  `,
  Rails: code`
    body = request.raw_post # not params.to_json
    return head :unauthorized unless signed?(body, request.headers["X-Signature"].to_s)
    event = JSON.parse(body) # only now
  `,
  Laravel: code`
    $body = $request->getContent(); // not json_encode($request->all())
    abort_unless(isSigned($body, $request->header('X-Signature', '')), 401);
    $event = json_decode($body, true); // only now
  `,
};
