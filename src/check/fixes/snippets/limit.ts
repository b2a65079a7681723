import { code, type Snippet } from './snippet.js';

/** Say when to come back with each 429. */
export const limit: Snippet = {
  Express: code`
    import { rateLimit } from 'express-rate-limit';

    // Above the route of the webhook; sets Retry-After by itself.
    app.use('/hook', rateLimit({ windowMs: 60_000, limit: 600 }));
  `,
  'Next.js': code`
    // middleware.js
    export const config = { matcher: '/hook' };
    let window = { minute: 0, count: 0 };

    export function middleware() {
      const minute = Math.floor(Date.now() / 60_000);
      if (window.minute !== minute) window = { minute, count: 0 };
      if (++window.count <= 600) return;
      return new Response(null, { status: 429, headers: { 'Retry-After': '60' } }); // seconds
    }
  `,
  Fastify: code`
    import rateLimit from '@fastify/rate-limit';

    // Above the route of the webhook; sets Retry-After by itself.
    await app.register(rateLimit, { max: 600, timeWindow: '1 minute' });
  `,
  FastAPI: code`
    import time

    from fastapi import Response

    window = {"minute": 0, "count": 0}

    @app.middleware("http")
    async def limited(request, call_next):
        minute = int(time.time() // 60)
        if window["minute"] != minute:
            window.update(minute=minute, count=0)
        window["count"] += 1
        if window["count"] > 600:
            return Response(status_code=429, headers={"Retry-After": "60"})  # seconds
        return await call_next(request)
  `,
  Flask: code`
    from flask_limiter import Limiter
    from flask_limiter.util import get_remote_address

    # headers_enabled sets Retry-After.
    Limiter(get_remote_address, app=app, default_limits=["600/minute"], headers_enabled=True)
  `,
  Go: code`
    package main

    import (
        "net/http"

        "golang.org/x/time/rate"
    )

    var limiter = rate.NewLimiter(10, 20) // 10 a second, 20 at once

    // Around the handler of the webhook.
    func limited(hook http.HandlerFunc) http.HandlerFunc {
        return func(w http.ResponseWriter, r *http.Request) {
            if !limiter.Allow() {
                w.Header().Set("Retry-After", "5") // seconds
                w.WriteHeader(http.StatusTooManyRequests)
                return
            }
            hook(w, r)
        }
    }
  `,
  Rails: code`
    # config/initializers/rack_attack.rb, with the gem rack-attack
    Rack::Attack.throttled_response_retry_after_header = true
    Rack::Attack.throttle("hook", limit: 600, period: 60) { |r| r.ip if r.path == "/hook" }
  `,
  Laravel: code`
    // Behind Route::post('/hook', …): 600 a minute, and Retry-After by itself
    //   ->middleware('throttle:600,1');
  `,
};
