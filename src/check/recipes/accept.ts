import { code, type Recipe } from './recipe.js';

/** Answer 2xx to every event, with little or no body. */
export const accept: Recipe = {
  Express: code`
    app.post('/hook', express.raw({ type: '*/*' }), async (req, res) => {
      const event = JSON.parse(req.body);
      await handlers[event.type]?.(event);
      res.sendStatus(204); // also for a type that has no handler
    });
  `,
  'Next.js': code`
    export async function POST(request) {
      const event = await request.json();
      await handlers[event.type]?.(event);
      return new Response(null, { status: 204 }); // also for a type without a handler
    }
  `,
  Fastify: code`
    app.post('/hook', async (request, reply) => {
      await handlers[request.body.type]?.(request.body);
      return reply.code(204).send(); // also for a type that has no handler
    });
  `,
  FastAPI: code`
    @app.post("/hook", status_code=204)
    async def hook(event: dict[str, Any]):
        if handler := handlers.get(event["type"]):
            await handler(event)  # other types are answered 204 as well
  `,
  Flask: code`
    @app.post("/hook")
    def hook():
        event = request.get_json()
        if handler := handlers.get(event["type"]):
            handler(event)
        return "", 204  # also for a type that has no handler
  `,
  Go: code`
    if handle, ok := handlers[event.Type]; ok {
        handle(event)
    }
    w.WriteHeader(http.StatusNoContent) // also for a type that has no handler
  `,
  Rails: code`
    skip_forgery_protection # an event has no CSRF token

    def create
      HANDLERS[event["type"]]&.call(event)
      head :no_content # also for a type that has no handler
    end
  `,
  Laravel: code`
    // The route is in routes/api.php, which asks for no CSRF token.
    $handle = $this->handlers[$request->input('type')] ?? null;
    if ($handle) {
        $handle($request->all());
    }
    return response()->noContent(); // also for a type that has no handler
  `,
};
