<?php
/** Receivers in PHP, each at a path of its own and wrong in one way; /correct is right. The router of `php -S`. */
$key = getenv('RECEIVER_KEY');
$body = file_get_contents('php://input');
$timestamp = $_SERVER['HTTP_X_SERVICE_TIMESTAMP'] ?? '';
$given = $_SERVER['HTTP_X_SERVICE_SIGNATURE'] ?? '';
$sign = fn($bytes) => 'sha256=' . hash_hmac('sha256', "$timestamp.$bytes", $key);
$digits = preg_match('/\A\d+\z/', $timestamp) === 1;
$fresh = $digits && abs(time() - (int) $timestamp) <= 300;
$genuine = fn($bytes) => hash_equals($sign($bytes), $given);

$accepted = match (basename($_SERVER['REQUEST_URI'])) {
    'correct' => $fresh && $genuine($body),
    'encodes-json-again' => $fresh && $genuine(json_encode(json_decode($body))),
    'casts-the-timestamp' => abs(time() - (int) $timestamp) <= 300 && $genuine($body),
    'compares-a-prefix' => $fresh && strncmp($sign($body), $given, strlen($given)) === 0,
    'trims' => $fresh && $genuine(trim($body)),
    'allows-everything-old' => $digits && $genuine($body),
};
http_response_code($accepted ? 204 : 401);
