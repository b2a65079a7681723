import { code, type Recipe } from './recipe.js';

/** Let an older event change nothing, and answer 2xx to it. */
export const order: Recipe = {
  Express: code`
    const sql = 'UPDATE users SET plan = $2, at = $3 WHERE id = $1 AND at < $3';
    await db.query(sql, [event.userId, event.traits.plan, event.timestamp]);
    res.sendStatus(204); // an older event changes nothing, and is a success
  `,
  'Next.js': code`
    const sql = 'UPDATE users SET plan = $2, at = $3 WHERE id = $1 AND at < $3';
    await db.query(sql, [event.userId, event.traits.plan, event.timestamp]);
    return new Response(null, { status: 204 }); // an older event changes nothing
  `,
  Fastify: code`
    const sql = 'UPDATE users SET plan = $2, at = $3 WHERE id = $1 AND at < $3';
    await app.pg.query(sql, [event.userId, event.traits.plan, event.timestamp]);
    return reply.code(204).send(); // an older event changes nothing
  `,
  FastAPI: code`
    at = datetime.fromisoformat(event["timestamp"])
    sql = "UPDATE users SET plan = $2, at = $3 WHERE id = $1 AND at < $3"
    await db.execute(sql, event["userId"], event["traits"]["plan"], at)
    return Response(status_code=204)  # an older event changes nothing
  `,
  Flask: code`
    at = event["timestamp"]
    sql = "UPDATE users SET plan = %s, at = %s WHERE id = %s AND at < %s"
    db.execute(sql, [event["traits"]["plan"], at, event["userId"], at])
    return "", 204  # an older event changes nothing
  `,
  Go: code`
    const sql = "UPDATE users SET plan = $2, at = $3 WHERE id = $1 AND at < $3"
    _, err := db.ExecContext(r.Context(), sql, event.UserID, plan, event.Timestamp)
    if err != nil {
        http.Error(w, "try again", http.StatusInternalServerError)
    } // else 204: an older event changes nothing
  `,
  Rails: code`
    User.where(id: event["userId"]).where("at < ?", event["timestamp"])
        .update_all(plan: event.dig("traits", "plan"), at: event["timestamp"])
    head :no_content # an older event changes nothing
  `,
  Laravel: code`
    $at = Carbon::parse($event['timestamp']);
    User::where('id', $event['userId'])->where('at', '<', $at)
        ->update(['plan' => $event['traits']['plan'], 'at' => $at]);
    return response()->noContent(); // an older event changes nothing
  `,
};
