# A Rails application with one controller, that of the file RECEIVER.
require "action_controller/railtie"
require "puma"
require "puma/server"

class Receiver < Rails::Application
  config.load_defaults 6.1
  config.eager_load = true
  config.consider_all_requests_local = false
  config.secret_key_base = "x" * 64
  config.hosts.clear
  config.logger = Logger.new($stderr, level: :error)
end
Receiver.initialize!

class ApplicationController < ActionController::Base
end
load ENV.fetch("RECEIVER")

Rails.application.routes.draw { post "/hook", to: "hooks#create" }

server = Puma::Server.new(Rails.application, Puma::Events.strings, min_threads: 8, max_threads: 16)
server.add_tcp_listener("127.0.0.1", ENV.fetch("PORT").to_i)
server.run.join
