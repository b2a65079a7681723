import { code, type Snippet } from './snippet.js';

/** Answer 405 to everything but POST. */
export const methods: Snippet = {
  Express: code`
    // Below app.post('/hook', …):
    app.all('/hook', (req, res) => res.set('Allow', 'POST').sendStatus(405));
  `,
  'Next.js': code`
    // A route.js that exports only POST answers 405 to other methods.
  `,
  Fastify: code`
    app.get('/hook', async (request, reply) =>
      reply.code(405).header('Allow', 'POST').send(),
    ); // answers HEAD as well
  `,
  FastAPI: code`
    # @app.post("/hook") answers 405 to other methods; @app.api_route does not.
  `,
  Flask: code`
    # @app.post("/hook") answers 405 to other methods; @app.route does not.
  `,
  Go: code`
    package main

    import "net/http"

    // Around the handler of the webhook; since Go 1.22, the pattern "POST /hook" does the same.
    func postOnly(hook http.HandlerFunc) http.HandlerFunc {
        return func(w http.ResponseWriter, r *http.Request) {
            if r.Method != http.MethodPost {
                w.Header().Set("Allow", "POST")
                w.WriteHeader(http.StatusMethodNotAllowed)
                return
            }
            hook(w, r)
        }
    }
  `,
  Rails: code`
    # config/routes.rb, below post "/hook"
    Rails.application.routes.draw do
      match "/hook", via: :all, to: ->(_) { [405, { "allow" => "POST" }, []] }
    end
  `,
  Laravel: code`
    // Route::post('/hook', …) answers 405 to other methods; Route::any() does not.
  `,
};
