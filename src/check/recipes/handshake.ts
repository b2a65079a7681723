import { code, type Recipe } from './recipe.js';

/** Slack and Twitch: send the member `challenge` of the body back as plain text. */
export const handshake: Recipe = {
  Express: code`
    // When the signature is verified, as that of any event:
    if (event.challenge) return res.type('text/plain').send(event.challenge);
  `,
  'Next.js': code`
    // When the signature is verified, as that of any event:
    if (event.challenge)
      return new Response(event.challenge, { headers: { 'Content-Type': 'text/plain' } });
  `,
  Fastify: code`
    // When the signature is verified, as that of any event:
    if (event.challenge) return reply.type('text/plain').send(event.challenge);
  `,
  FastAPI: code`
    # When the signature is verified, as that of any event:
    if "challenge" in event:
        return PlainTextResponse(event["challenge"])
  `,
  Flask: code`
    # When the signature is verified, as that of any event:
    if "challenge" in event:
        return event["challenge"], 200, {"Content-Type": "text/plain"}
  `,
  Go: code`
    if event.Challenge != "" { // when the signature is verified, as that of any event
        w.Header().Set("Content-Type", "text/plain")
        io.WriteString(w, event.Challenge)
        return
    }
  `,
  Rails: code`
    # When the signature is verified, as that of any event:
    return render plain: event["challenge"] if event["challenge"]
  `,
  Laravel: code`
    // When the signature is verified, as that of any event:
    if (isset($event['challenge'])) {
        return response($event['challenge'])->header('Content-Type', 'text/plain');
    }
  `,
};
