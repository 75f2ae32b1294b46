import Api
import HttpServer

extension BodyPipe: BodyReader {}
