extension RawTree {
    /// The tree with all frames in the app's interface space. Windows that were not turned with the app, such as those of remote
    /// keyboards, report in native space, and so does everything in them.
    func inInterfaceSpace(_ space: WindowSpace) -> RawTree {
        guard space.orientation.isLandscape else { return self }
        var spaces: [FrameSpace] = []
        var turned = RawTree()
        for node in nodes {
            let parent = node.parent.map { nodes[$0].attributes.type }
            let anchor: WindowSpace.Anchor =
                node.attributes.type == .window ? .window : parent == .window ? .childOfWindow : .other
            let inherited = node.parent.map { spaces[$0] } ?? .interface
            let reported = space.space(of: node.attributes.frame, anchor: anchor, inherited: inherited)
            spaces.append(reported)
            var attributes = node.attributes
            attributes.frame = attributes.frame.map { space.interface($0, reportedIn: reported) }
            turned.append(attributes, under: node.parent, isCut: node.isCut, actions: node.actions)
        }
        return turned
    }
}
