import { code, type Recipe } from './recipe.js';

/** Take bodies of 1 MB, and values within values. */
export const size: Recipe = {
  Express: code`
    app.post('/hook', express.raw({ type: '*/*', limit: '1mb' }), handler);
  `,
  'Next.js': code`
    // Pages Router; the App Router has no limit of its own.
    export const config = { api: { bodyParser: { sizeLimit: '1mb' } } };
  `,
  Fastify: code`
    const app = fastify({ bodyLimit: 1_048_576 });
  `,
  FastAPI: code`
    # FastAPI has no limit of its own. In nginx: client_max_body_size 1m;
  `,
  Flask: code`
    app.config["MAX_CONTENT_LENGTH"] = 1024 * 1024
  `,
  Go: code`
    body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 1<<20))
  `,
  Rails: code`
    # Rails has no limit of its own. In nginx: client_max_body_size 1m;
    event = JSON.parse(request.raw_post, max_nesting: 500) # the default is 100
  `,
  Laravel: code`
    // php.ini: post_max_size = 8M; nginx: client_max_body_size 1m;
    $event = json_decode($request->getContent(), true, depth: 512);
  `,
};
