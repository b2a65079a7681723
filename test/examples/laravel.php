<?php

// A Laravel application with one controller, that of the file RECEIVER, for PHP's own server.

use Illuminate\Config\Repository;
use Illuminate\Contracts\Debug\ExceptionHandler;
use Illuminate\Foundation\Application;
use Illuminate\Foundation\Bootstrap\BootProviders;
use Illuminate\Foundation\Exceptions\Handler;
use Illuminate\Foundation\Http\Kernel;
use Illuminate\Http\Request;
use Illuminate\Support\Facades\Facade;
use Illuminate\Support\Facades\Route;

error_reporting(E_ALL & ~E_DEPRECATED);
require 'Illuminate/autoload.php';

$folder = getenv('FOLDER');
$app = new Application($folder);
$app->instance('config', new Repository([
    'app' => ['env' => 'production', 'debug' => false, 'locale' => 'en', 'fallback_locale' => 'en'],
    'cache' => ['default' => 'file', 'prefix' => '', 'stores' => ['file' => ['driver' => 'file', 'path' => $folder]]],
    'logging' => ['default' => 'null', 'channels' => ['null' => ['driver' => 'monolog', 'handler' => Monolog\Handler\NullHandler::class]]],
    'services' => ['webhook' => ['secret' => getenv('WEBHOOK_SECRET')]],
    'session' => ['driver' => 'array', 'cookie' => 'session', 'lifetime' => 120],
    'view' => ['paths' => [], 'compiled' => $folder],
]));
$request = Request::capture();
$app->instance('request', $request);
Facade::setFacadeApplication($app);
$app->singleton(ExceptionHandler::class, Handler::class);
foreach ([
    Illuminate\Cache\CacheServiceProvider::class,
    Illuminate\Filesystem\FilesystemServiceProvider::class,
    Illuminate\Foundation\Providers\FoundationServiceProvider::class,
    Illuminate\Session\SessionServiceProvider::class,
    Illuminate\Translation\TranslationServiceProvider::class,
    Illuminate\Validation\ValidationServiceProvider::class,
    Illuminate\View\ViewServiceProvider::class,
] as $provider) {
    $app->register($provider);
}

$kernel = new class($app, $app['router']) extends Kernel {
    protected $bootstrappers = [BootProviders::class];
};
$kernel->bootstrap();
require getenv('RECEIVER');
Route::post('/hook', App\Http\Controllers\HookController::class);

$response = $kernel->handle($request);
$response->send();
$kernel->terminate($request, $response);
