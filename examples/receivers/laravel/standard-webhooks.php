<?php

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
        // In production: a table with a unique index on the id.
        if (Cache::add('webhook:'.$request->header('webhook-id'), true, now()->addDays(3))) {
            // Dispatch a job here, whatever the type: the work comes after the response.
        }
        return response()->noContent();
    }

    /** As the package standard-webhooks/standard-webhooks verifies it. */
    private function isSigned(string $body, Request $request): bool
    {
        $id = $request->header('webhook-id', '');
        $timestamp = $request->header('webhook-timestamp', '');
        if (abs(time() - (int) $timestamp) > 300) {
            return false;
        }
        // config/services.php: 'webhook' => ['secret' => env('WEBHOOK_SECRET')]
        $secret = config('services.webhook.secret') ?: abort(500, 'the secret is not set');
        $key = base64_decode(preg_replace('/^whsec_/', '', $secret));
        $expected = 'v1,'.base64_encode(hash_hmac('sha256', "$id.$timestamp.$body", $key, true));
        foreach (explode(' ', $request->header('webhook-signature', '')) as $signature) {
            if (hash_equals($expected, $signature)) {
                return true;
            }
        }
        return false;
    }
}
