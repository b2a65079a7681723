<?php

// Wrong: validates fields that only some kinds of events have. Laravel answers the others with a redirect.
// app/Http/Controllers/HookController.php; in routes/api.php: Route::post('/hook', HookController::class);

namespace App\Http\Controllers;

use Illuminate\Http\Request;
use Illuminate\Support\Facades\Cache;

class HookController
{
    public function __invoke(Request $request)
    {
        $body = $request->getContent();
        if (! $this->isSigned($body, $request)) {
            return response()->noContent(401);
        }
        $event = json_decode($body, true);
        if ($event === null) {
            return response()->noContent(400);
        }
        $request->validate(['issue.title' => 'required']);
        // In production: a table with a unique index on the id.
        if (Cache::add('webhook:'.$request->header('X-GitHub-Delivery'), true, now()->addDays(3))) {
            // Dispatch a job here, whatever the kind: the work comes after the response.
        }
        return response()->noContent();
    }

    /** X-Hub-Signature-256: sha256=… */
    private function isSigned(string $body, Request $request): bool
    {
        // config/services.php: 'webhook' => ['secret' => env('WEBHOOK_SECRET')]
        $secret = config('services.webhook.secret') ?: abort(500, 'the secret is not set');
        $expected = 'sha256='.hash_hmac('sha256', $body, $secret);
        return hash_equals($expected, $request->header('X-Hub-Signature-256', ''));
    }
}
