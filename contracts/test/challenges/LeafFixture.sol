// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IRolloutCommitments} from "../../src/interfaces/IRolloutCommitments.sol";
import {IWithheldLeaves} from "../../src/interfaces/IWithheldLeaves.sol";
import {Draws} from "../../src/libraries/Draws.sol";
import {VotesFixture} from "../VotesFixture.sol";

/// @dev Solvers that commit to trees of two leaves: the one that will be drawn first, and a sibling that stands for all
/// others.
abstract contract LeafFixture is VotesFixture {
    address internal constant CHALLENGER = address(0xB0B);
    bytes32 internal constant POLICY = keccak256("policy");
    bytes32 internal constant SIBLING = keccak256("sibling");
    bytes internal constant BODY = "a body";
    uint256 internal constant BOND = 3_000_000 * MIN_GAS_PRICE_WEI;

    /// @dev Of `BODY`; hashing is a call, which would take the place of the one that a test expects.
    bytes32 internal bodyHash = sha256(BODY);

    function setUp() public virtual override {
        super.setUp();
        vm.deal(CHALLENGER, 100 ether);
    }

    /// @dev The leaf at a place of the draw of a round whose beacon is still to come: tests know it beforehand.
    function sampledAt(uint64 round, bytes32 peerKey, uint32 place) internal view returns (uint32 index) {
        bytes32 beacon = keccak256(abi.encode("beacon", round));
        return Draws.distinct(8, 4, Draws.seedOf("waggle sample", round, beacon, peerKey))[place];
    }

    function drawnLeaf(uint64 round, bytes32 peerKey) internal view returns (IRolloutCommitments.Leaf memory leaf) {
        (leaf.index, leaf.policyHash, leaf.bodyHash) = (sampledAt(round, peerKey, 0), POLICY, bodyHash);
    }

    /// @dev The current round's commitment of a peer to that leaf.
    function commitDrawn(bytes32 peerKey) internal returns (IRolloutCommitments.Work memory work) {
        uint64 round = rounds.currentRound();
        bytes32 hash = commitments.leafOf(round, peerKey, drawnLeaf(round, peerKey));
        bytes32 root = keccak256(hash < SIBLING ? abi.encode(hash, SIBLING) : abi.encode(SIBLING, hash));
        work = IRolloutCommitments.Work(root, 8, POLICY, keccak256("content"));
        vm.prank(registry.accountOf(peerKey));
        commitments.commit(round, peerKey, root, 8, POLICY, work.contentId, 0);
    }

    function demand(uint64 round, bytes32 peerKey, IRolloutCommitments.Work memory work) internal {
        vm.prank(CHALLENGER);
        challenges.demandLeaf{value: BOND}(round, peerKey, work, sampleAt(0));
    }

    function show(uint64 round, bytes32 peerKey, IRolloutCommitments.Work memory work) internal {
        challenges.showLeaf(round, peerKey, work, drawnLeaf(round, peerKey), proof(), BODY);
    }

    function sampleAt(uint32 place) internal pure returns (IWithheldLeaves.Sample memory sample) {
        return IWithheldLeaves.Sample(SPECIFICATION, 1, 13, place);
    }

    function proof() internal pure returns (bytes32[] memory siblings) {
        siblings = new bytes32[](1);
        siblings[0] = SIBLING;
    }
}
