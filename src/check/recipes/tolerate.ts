import { code, type Recipe } from './recipe.js';

/** Read what is known, and leave the rest alone. */
export const tolerate: Recipe = {
  Express: code`
    const Event = z.looseObject({ type: z.string() }); // not z.strictObject()
    const event = Event.parse(JSON.parse(req.body));
    const total = event.properties?.total ?? 0; // any member can be missing or null
    if (event.type === 'track') await onTrack(event, total);
    res.sendStatus(204); // an unknown type is a success, too
  `,
  'Next.js': code`
    const Event = z.looseObject({ type: z.string() }); // not z.strictObject()
    const event = Event.parse(await request.json());
    const total = event.properties?.total ?? 0; // any member can be missing or null
    if (event.type === 'track') await onTrack(event, total);
    return new Response(null, { status: 204 }); // an unknown type is a success, too
  `,
  Fastify: code`
    const body = { type: 'object', required: ['type'], additionalProperties: true };
    app.post('/hook', { schema: { body } }, async (request, reply) => {
      if (request.body.type === 'track') await onTrack(request.body);
      return reply.code(204).send(); // an unknown type is a success, too
    });
  `,
  FastAPI: code`
    class Event(BaseModel):
        model_config = ConfigDict(extra="ignore")  # not "forbid"
        type: str  # not a Literal: new types come
        properties: dict[str, Any] | None = None
  `,
  Flask: code`
    properties = event.get("properties") or {}  # can be missing, null or empty
    total = properties.get("total", 0)
    if event.get("type") == "track":
        on_track(event, total)
    return "", 204  # an unknown type is a success, too
  `,
  Go: code`
    var event struct {
        Type       string
        Properties map[string]any
    }
    err := json.Unmarshal(body, &event) // without DisallowUnknownFields
  `,
  Rails: code`
    total = event.dig("properties", "total") || 0 # any member can be missing or null
    on_track(event, total) if event["type"] == "track"
    head :no_content # an unknown type is a success, too
  `,
  Laravel: code`
    $total = data_get($event, 'properties.total', 0); // any member can be missing or null
    if (($event['type'] ?? null) === 'track') {
        $this->onTrack($event, $total);
    }
    return response()->noContent(); // an unknown type is a success, too
  `,
};
