// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {ICommittedWork} from "./ICommittedWork.sol";
import {IRolloutCommitments} from "./IRolloutCommitments.sol";

/// @title IWithheldLeaves
/// @notice Anyone can demand a sampled leaf that is unavailable. If nobody publishes it on the chain, the peer loses
/// the round. Leaves can be demanded in r + 1 and r + 2, and published until the demand is closed. A demand can be
/// closed once the round after it has ended and `RESPONSE_BLOCKS` blocks have passed, so that a halted chain costs
/// nobody the time to respond.
/// @dev The challenger posts the bond. The responder is paid its gas from the bond, so that a peer cannot be made to
/// spend, and no more than that, so that a peer gains nothing by withholding leaves. Calldata is paid to an account
/// without code that sends the transaction itself.
interface IWithheldLeaves is ICommittedWork {
    /// @notice State of a demand.
    enum DemandState {
        None,
        Open,
        Shown,
        Withheld
    }

    /// @notice Proof that a leaf was sampled: the environment's specification, which defines the draw.
    /// @param specification Its canonical dag-cbor, whose hash is the round's environment.
    /// @param owedAt Offset of the key `owedLeaves` in it, at its head byte.
    /// @param sampledAt The same of `sampledLeaves`.
    /// @param place The leaf's place in the draw, from 0.
    struct Sample {
        bytes specification;
        uint256 owedAt;
        uint256 sampledAt;
        uint32 place;
    }

    /// @notice A demand.
    /// @param challenger Who posted the bond.
    /// @param openedRound The round in which it was posted.
    /// @param state Its state.
    /// @param bondWei The bond.
    /// @param openedBlock The block in which it was posted.
    struct Demand {
        // slot 0
        address challenger;
        uint64 openedRound;
        DemandState state;
        // slot 1
        uint192 bondWei;
        uint64 openedBlock;
    }

    /// @notice Emitted when a leaf is demanded.
    /// @param round The round.
    /// @param peerKey The peer.
    /// @param index The leaf's place among the peer's.
    /// @param challenger Who posted the bond.
    /// @param bondWei The bond.
    /// @param throughRound Last round in which the demand cannot be closed.
    event LeafDemanded(
        uint64 indexed round,
        bytes32 indexed peerKey,
        uint32 index,
        address indexed challenger,
        uint256 bondWei,
        uint64 throughRound
    );

    /// @notice Emitted when a demanded leaf is published: its body is in the calldata.
    /// @param round The round.
    /// @param peerKey The peer.
    /// @param index The leaf's place.
    /// @param responder Who published it.
    /// @param paidWei Credit for its gas, from the bond.
    event LeafShown(
        uint64 indexed round,
        bytes32 indexed peerKey,
        uint32 index,
        address indexed responder,
        uint256 paidWei
    );

    /// @notice Emitted when a demanded leaf was not published in time: the peer has no score in that round.
    /// @param round The round.
    /// @param peerKey The peer.
    /// @param index The leaf's place.
    /// @param lostMilli Points that the peer loses.
    /// @param challenger Who gets the bond back.
    event LeafWithheld(
        uint64 indexed round,
        bytes32 indexed peerKey,
        uint32 index,
        uint16 lostMilli,
        address indexed challenger
    );

    /// @notice Thrown when a leaf is demanded outside r + 1 and r + 2.
    /// @param round The round.
    /// @param currentRound The current round.
    error Challenges_NotDemandable(uint64 round, uint64 currentRound);

    /// @notice Thrown when a specification is not that of the round's environment.
    /// @param round The round.
    /// @param specificationHash Hash of the given specification.
    error Challenges_NotEnvironment(uint64 round, bytes32 specificationHash);

    /// @notice Thrown when a place is beyond the sampled leaves, or its leaf beyond the committed ones.
    /// @param place The place in the draw.
    /// @param sampled Leaves that are sampled.
    /// @param leafCount Leaves committed.
    error Challenges_NotSampled(uint32 place, uint256 sampled, uint32 leafCount);

    /// @notice Thrown when a leaf was already demanded.
    /// @param round The round.
    /// @param peerKey The peer.
    /// @param index The leaf's place.
    error Challenges_AlreadyDemanded(uint64 round, bytes32 peerKey, uint32 index);

    /// @notice Thrown when there is no open demand.
    /// @param round The round.
    /// @param peerKey The peer.
    /// @param index The leaf's place.
    error Challenges_NotDemanded(uint64 round, bytes32 peerKey, uint32 index);

    /// @notice Thrown when a demand is closed in its own round or the next.
    /// @param throughRound Last round in which it cannot be closed.
    /// @param currentRound The current round.
    error Challenges_TooEarly(uint64 throughRound, uint64 currentRound);

    /// @notice Thrown when a demand is closed before `RESPONSE_BLOCKS` blocks have passed.
    /// @param dueBlock First block in which it can be closed.
    /// @param blockNumber The block.
    error Challenges_TooFewBlocks(uint256 dueBlock, uint256 blockNumber);

    /// @notice Thrown when a leaf's body is larger than `MAX_BODY_BYTES`.
    /// @param bytes_ Its size.
    error Challenges_BodyTooLarge(uint256 bytes_);

    /// @notice Thrown when a body does not match the leaf's header.
    /// @param bodyHash sha-256 of the body given.
    /// @param expected The header's.
    error Challenges_NotBody(bytes32 bodyHash, bytes32 expected);

    /// @notice Demands the body of a sampled leaf. The peer's earnings of that round are held until the demand is
    /// closed. The bond is the value of the call, at least `minDemandBond()`.
    /// @param round The round, which ended one or two rounds ago.
    /// @param peerKey The peer.
    /// @param work Its commitment.
    /// @param sample Proof that the leaf was sampled.
    /// @return index The leaf's place among the peer's.
    function demandLeaf(
        uint64 round,
        bytes32 peerKey,
        IRolloutCommitments.Work calldata work,
        Sample calldata sample
    ) external payable returns (uint32 index);

    /// @notice Publishes a demanded leaf; anyone may, until the demand is closed or the commitment is no longer
    /// stored, after five more rounds. The bond pays its gas, at a price of at most the bond divided by
    /// `RESPONSE_GAS`; the rest is returned. Calldata is paid to a plain account, and only if nothing follows the
    /// arguments.
    /// @param round The round.
    /// @param peerKey The peer.
    /// @param work Its commitment.
    /// @param leaf The leaf's header.
    /// @param proof Siblings, from the leaf up.
    /// @param body Its body, at most `MAX_BODY_BYTES`.
    function showLeaf(
        uint64 round,
        bytes32 peerKey,
        IRolloutCommitments.Work calldata work,
        IRolloutCommitments.Leaf calldata leaf,
        bytes32[] calldata proof,
        bytes calldata body
    ) external;

    /// @notice Closes an unanswered demand, from the second round after it on, and not before `RESPONSE_BLOCKS` blocks;
    /// anyone may. The bond is returned, and the peer loses the round.
    /// @param round The round.
    /// @param peerKey The peer.
    /// @param index The leaf's place.
    function closeDemand(uint64 round, bytes32 peerKey, uint32 index) external;

    /// @notice A demand.
    /// @param round The round.
    /// @param peerKey The peer.
    /// @param index The leaf's place.
    /// @return demand The demand; its state is `None` if there was none.
    function demandOf(uint64 round, bytes32 peerKey, uint32 index) external view returns (Demand memory demand);

    /// @notice The least bond of a demand in this block: `RESPONSE_GAS` at twice the base fee, or at
    /// `MIN_GAS_PRICE_WEI` if that is more.
    /// @return bondWei The bond.
    function minDemandBond() external view returns (uint256 bondWei);

    /// @notice The largest body that can be demanded.
    /// @return bytes_ 65,536.
    function MAX_BODY_BYTES() external view returns (uint256 bytes_);

    /// @notice Gas to publish the largest body, including transaction and calldata.
    /// @return gas_ Gas.
    function RESPONSE_GAS() external view returns (uint256 gas_);

    /// @notice Least number of blocks to answer a demand.
    /// @return blocks 16.
    function RESPONSE_BLOCKS() external view returns (uint64 blocks);

    /// @notice Lowest gas price that a bond covers.
    /// @return priceWei Wei per unit.
    function MIN_GAS_PRICE_WEI() external view returns (uint256 priceWei);
}
