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
        if (Cache::add("webhook:{$event['id']}", true, now()->addDays(3))) {
            // Dispatch a job here, whatever the type: the work comes after the response.
        }
        return response()->noContent();
    }

    /** Stripe-Signature: t=…,v1=…; https://docs.stripe.com/webhooks#verify-manually */
    private function isSigned(string $body, Request $request): bool
    {
        $header = $request->header('Stripe-Signature', '');
        $timestamp = preg_match('/\bt=(\d+)/', $header, $match) ? $match[1] : '';
        if (abs(time() - (int) $timestamp) > 300) {
            return false;
        }
        // config/services.php: 'webhook' => ['secret' => env('WEBHOOK_SECRET')]
        $secret = config('services.webhook.secret') ?: abort(500, 'the secret is not set');
        $expected = hash_hmac('sha256', "$timestamp.$body", $secret);
        preg_match_all('/\bv1=([^,]*)/', $header, $matches);
        foreach ($matches[1] as $signature) {
            if (hash_equals($expected, $signature)) {
                return true;
            }
        }
        return false;
    }
}
