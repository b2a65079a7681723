<?php

// In routes/api.php: Route::post('/hook', App\Http\Controllers\HookController::class);

namespace App\Http\Controllers;

use Illuminate\Http\Request;
use Illuminate\Support\Facades\Cache;

class HookController
{
    public function __invoke(Request $request)
    {
        $body = $request->getContent(); // the bytes that were signed, not $request->all()
        if (strlen($body) > 1_048_576) {
            return response('', 413);
        }
        if (! $this->isSigned($body, $request)) {
            return response('', 401);
        }
        // #if hasForms
        if (str_starts_with($request->header('Content-Type', ''), 'application/x-www-form-urlencoded')) {
            $event = $request->request->all();
        } else {
            $event = json_decode($body, true, 512, JSON_BIGINT_AS_STRING);
        }
        // #else
        $event = json_decode($body, true, 512, JSON_BIGINT_AS_STRING); // only after the signature was verified
        // #end
        if ($event === null) {
            return response('', 400);
        }
        // #if challenge
        if (isset($event['challenge'])) {
            return response($event['challenge'])->header('Content-Type', 'text/plain');
        }
        // #end
        // #if zoom
        if (($event['event'] ?? null) === 'endpoint.url_validation') {
            $token = $event['payload']['plainToken'];
            $mac = hash_hmac('sha256', $token, env('WEBHOOK_SECRET'));
            return response()->json(['plainToken' => $token, 'encryptedToken' => $mac]);
        }
        // #end
        // #if batch
        if (!is_array($event) || !array_is_list($event)) {
            return response('', 400);
        }
        foreach ($event as $one) {
            $id = $one{{eventIdPath}} ?? null;
            // In production: a table with a unique index.
            if ($id === null || Cache::add('webhook:' . json_encode($id), true, now()->addDays(3))) {
                app()->terminating(fn () => $this->handle($one));
            }
        }
        // #else
        // #if idHeaderOfEvent
        $id = $request->header('{{eventIdHeader}}');
        // #else
        $id = $event{{eventIdPath}} ?? null;
        // #end
        // In production: a table with a unique index.
        if ($id === null || Cache::add('webhook:' . json_encode($id), true, now()->addDays(3))) {
            app()->terminating(fn () => $this->handle($event));
        }
        // #end
        return response()->noContent(); // also for a repeat, and for a type that is not known
    }

    /** Works after the response; in production: a queue. */
    private function handle(mixed $event): void
    {
        logger()->info('webhook', ['event' => $event]);
    }

    {{verify}}
}
