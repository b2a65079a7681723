import { code, type Recipe } from './recipe.js';

/** Refuse a signature whose time is more than 5 minutes from now; here for Standard Webhooks. */
export const fresh: Recipe = {
  Express: code`
    const age = Math.abs(Date.now() / 1000 - Number(req.get('webhook-timestamp')));
    if (!(age <= 300)) return res.sendStatus(401); // 5 minutes; refuses NaN as well
  `,
  'Next.js': code`
    const time = Number(request.headers.get('webhook-timestamp'));
    const isFresh = Math.abs(Date.now() / 1000 - time) <= 300; // 5 minutes
    if (!isFresh) return new Response(null, { status: 401 });
  `,
  Fastify: code`
    const time = Number(request.headers['webhook-timestamp']);
    const isFresh = Math.abs(Date.now() / 1000 - time) <= 300; // 5 minutes
    if (!isFresh) return reply.code(401).send();
  `,
  FastAPI: code`
    sent_at = request.headers.get("webhook-timestamp", "")
    if not sent_at.isdecimal() or abs(time.time() - int(sent_at)) > 300:  # 5 minutes
        raise HTTPException(401)
  `,
  Flask: code`
    sent_at = request.headers.get("webhook-timestamp", "")
    if not sent_at.isdecimal() or abs(time.time() - int(sent_at)) > 300:  # 5 minutes
        abort(401)
  `,
  Go: code`
    sent, err := strconv.ParseInt(r.Header.Get("webhook-timestamp"), 10, 64)
    if err != nil || time.Since(time.Unix(sent, 0)).Abs() > 5*time.Minute {
        http.Error(w, "too old", http.StatusUnauthorized)
        return
    }
  `,
  Rails: code`
    age = (Time.now.to_i - request.headers["webhook-timestamp"].to_i).abs
    return head :unauthorized if age > 5.minutes
  `,
  Laravel: code`
    $age = abs(time() - (int) $request->header('webhook-timestamp'));
    abort_if($age > 300, 401); // 5 minutes
  `,
};
