import { code, type Recipe } from './recipe.js';

/** Remember each messageId in the transaction of the work, and answer 2xx to one that is known. */
export const repeat: Recipe = {
  Express: code`
    // CREATE TABLE seen (id text UNIQUE)
    const sql = 'INSERT INTO seen (id) VALUES ($1) ON CONFLICT DO NOTHING';
    const { rowCount } = await db.query(sql, [event.messageId]);
    if (rowCount === 1) await handle(event); // in the same transaction
    res.sendStatus(204); // a duplicate is a success, too
  `,
  'Next.js': code`
    // CREATE TABLE seen (id text UNIQUE)
    const sql = 'INSERT INTO seen (id) VALUES ($1) ON CONFLICT DO NOTHING';
    const { rowCount } = await db.query(sql, [event.messageId]);
    if (rowCount === 1) await handle(event); // in the same transaction
    return new Response(null, { status: 204 }); // a duplicate is a success, too
  `,
  Fastify: code`
    // CREATE TABLE seen (id text UNIQUE)
    const sql = 'INSERT INTO seen (id) VALUES ($1) ON CONFLICT DO NOTHING';
    const { rowCount } = await app.pg.query(sql, [event.messageId]);
    if (rowCount === 1) await handle(event); // in the same transaction
    return reply.code(204).send(); // a duplicate is a success, too
  `,
  FastAPI: code`
    # CREATE TABLE seen (id text UNIQUE)
    sql = "INSERT INTO seen (id) VALUES ($1) ON CONFLICT DO NOTHING"
    async with db.transaction():  # asyncpg
        if await db.execute(sql, event.get("messageId")) == "INSERT 0 1":
            await handle(event)
    return Response(status_code=204)  # a duplicate is a success, too
  `,
  Flask: code`
    # CREATE TABLE seen (id text UNIQUE)
    sql = "INSERT INTO seen (id) VALUES (%s) ON CONFLICT DO NOTHING"
    with db.transaction():  # psycopg
        if db.execute(sql, [event.get("messageId")]).rowcount == 1:
            handle(event)
    return "", 204  # a duplicate is a success, too
  `,
  Go: code`
    const sql = "INSERT INTO seen (id) VALUES (NULLIF($1, '')) ON CONFLICT DO NOTHING"
    result, err := tx.ExecContext(r.Context(), sql, event.MessageID) // if err: 500
    if n, _ := result.RowsAffected(); n == 1 {
        err = handle(tx, event) // in the same transaction; if err: 500
    }
    w.WriteHeader(http.StatusNoContent) // a duplicate is a success, too
  `,
  Rails: code`
    begin # with a unique index on seen_events.message_id
      SeenEvent.transaction { SeenEvent.create!(message_id: id) && handle(event) }
    rescue ActiveRecord::RecordNotUnique
      # Seen before: a duplicate is a success, too.
    end
    head :no_content
  `,
  Laravel: code`
    DB::transaction(function () use ($event) { // with a unique index on seen.id
        $isNew = DB::table('seen')->insertOrIgnore(['id' => $event['messageId'] ?? null]);
        if ($isNew) $this->handle($event);
    });
    return response()->noContent(); // a duplicate is a success, too
  `,
};
