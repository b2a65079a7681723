import { code, type Recipe } from './recipe.js';

/** Verify, put the event into a queue, answer; work later. */
export const quick: Recipe = {
  Express: code`
    await queue.add('event', JSON.parse(req.body)); // BullMQ: a worker does the rest
    res.sendStatus(202);
  `,
  'Next.js': code`
    import { after } from 'next/server';

    after(() => handle(event)); // runs when the response is sent; a queue is safer
    return new Response(null, { status: 202 });
  `,
  Fastify: code`
    await queue.add('event', request.body); // BullMQ: a worker does the rest
    return reply.code(202).send();
  `,
  FastAPI: code`
    @app.post("/hook", status_code=202)
    async def hook(event: dict[str, Any], background: BackgroundTasks):
        background.add_task(handle, event)  # after the response; a queue is safer
  `,
  Flask: code`
    handle.delay(event)  # a Celery task
    return "", 202
  `,
  Go: code`
    select {
    case jobs <- event: // a buffered channel that workers read; a queue is safer
        w.WriteHeader(http.StatusAccepted)
    default:
        w.WriteHeader(http.StatusServiceUnavailable) // full: the sender tries again
    }
  `,
  Rails: code`
    HandleEventJob.perform_later(request.raw_post)
    head :accepted
  `,
  Laravel: code`
    HandleEvent::dispatch($request->getContent()); // implements ShouldQueue
    return response()->noContent(202);
  `,
};
