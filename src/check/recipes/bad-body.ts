import { code, type Recipe } from './recipe.js';

/** Answer 400 to a body that is no JSON. */
export const badBody: Recipe = {
  Express: code`
    let event;
    try {
      event = JSON.parse(req.body);
    } catch {
      return res.sendStatus(400);
    }
  `,
  'Next.js': code`
    let event;
    try {
      event = JSON.parse(await request.text());
    } catch {
      return new Response(null, { status: 400 });
    }
  `,
  Fastify: code`
    let event;
    try {
      event = JSON.parse(request.body);
    } catch {
      return reply.code(400).send();
    }
  `,
  FastAPI: code`
    try:
        event = json.loads(await request.body())
    except ValueError:
        raise HTTPException(400)
  `,
  Flask: code`
    try:
        event = json.loads(request.get_data())
    except ValueError:
        abort(400)
  `,
  Go: code`
    if err := json.Unmarshal(body, &event); err != nil {
        http.Error(w, "not JSON", http.StatusBadRequest)
        return
    }
  `,
  Rails: code`
    begin
      event = JSON.parse(request.raw_post)
    rescue JSON::ParserError
      return head :bad_request
    end
  `,
  Laravel: code`
    $event = json_decode($request->getContent(), true);
    abort_unless(is_array($event), 400);
  `,
};
