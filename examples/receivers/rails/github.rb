# app/controllers/hooks_controller.rb; in config/routes.rb: post "/hook", to: "hooks#create"
class HooksController < ApplicationController
  skip_forgery_protection # a sender has no CSRF token

  # In production: a table with a unique index on the id, and a job queue.
  SEEN = Concurrent::Set.new
  JOBS = Queue.new

  def create
    body = request.raw_post
    return head :unauthorized unless signed?(body)

    event = JSON.parse(body)
    # Whatever its kind: the work comes after the response.
    JOBS << event if SEEN.add?(request.headers["X-GitHub-Delivery"])
    head :no_content
  rescue JSON::ParserError
    head :bad_request
  end

  private

  # X-Hub-Signature-256: sha256=…
  def signed?(body)
    expected = "sha256=" + OpenSSL::HMAC.hexdigest("SHA256", ENV.fetch("WEBHOOK_SECRET"), body)
    given = request.headers["X-Hub-Signature-256"].to_s
    ActiveSupport::SecurityUtils.secure_compare(given, expected)
  end
end
