/// Why a request was not answered with a tree: the kind is what a client acts on, the code says which case of it.
public struct Failure: Error, Equatable, Sendable {
    public enum Kind: String, Sendable, CaseIterable {
        /// The request is wrong; the same one fails again.
        case badRequest = "bad_request"
        /// It can't be answered here and now: no reader in this runtime, or another app is in front.
        case unsupported
        /// The app has no accessibility server (yet).
        case applicationUnavailable = "application_unavailable"
        /// The app's accessibility server did not answer in time.
        case applicationNotResponding = "application_not_responding"
        /// The reader could not read the tree, or not all of it.
        case readerUnavailable = "reader_unavailable"
        /// The reader gave something that is no tree.
        case malformedTree = "malformed_tree"
        /// The tree is larger than the request allows.
        case responseLimitExceeded = "response_limit_exceeded"
    }

    public enum Code: String, Sendable, CaseIterable {
        case jsonObjectRequired = "json-object-required"
        case identityMismatch = "identity-mismatch"
        case verbNotSupported = "verb-not-supported"
        case pidRequired = "pid-required"
        case generationRequired = "generation-required"
        case snapshotTreeRequired = "snapshot-tree-required"
        case automationModeRequired = "automation-mode-required"
        case boundsInvalid = "bounds-invalid"
        case runtimeUnavailable = "runtime-unavailable"
        case foregroundOwnerUnverified = "foreground-owner-unverified"
        case foregroundOwnerChanged = "foreground-owner-changed"
        case applicationElementMissing = "application-element-missing"
        case applicationServerUnavailable = "application-server-unavailable"
        case applicationTimeout = "application-timeout"
        case attributeVocabularyMismatch = "attribute-vocabulary-mismatch"
        case privateAPIException = "private-api-exception"
        case continuationBudgetExhausted = "continuation-budget-exhausted"
        case emptyResponse = "empty-response"
        case depthRejected = "depth-rejected"
        case boundaryEvidenceMissing = "boundary-evidence-missing"
        case continuationElementMissing = "continuation-element-missing"
        case snapshotTreeMalformed = "snapshot-tree-malformed"
        case responseTooLarge = "response-too-large"

        public var kind: Kind {
            switch self {
            case .jsonObjectRequired, .identityMismatch, .verbNotSupported, .pidRequired, .generationRequired,
                .snapshotTreeRequired, .automationModeRequired, .boundsInvalid:
                .badRequest
            case .runtimeUnavailable, .foregroundOwnerUnverified, .foregroundOwnerChanged: .unsupported
            case .applicationElementMissing, .applicationServerUnavailable: .applicationUnavailable
            case .applicationTimeout: .applicationNotResponding
            case .attributeVocabularyMismatch, .privateAPIException, .continuationBudgetExhausted, .emptyResponse,
                .depthRejected, .boundaryEvidenceMissing, .continuationElementMissing:
                .readerUnavailable
            case .snapshotTreeMalformed: .malformedTree
            case .responseTooLarge: .responseLimitExceeded
            }
        }
    }

    public let code: Code
    public let message: String

    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }
}
