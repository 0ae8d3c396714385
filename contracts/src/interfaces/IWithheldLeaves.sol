// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {ICommittedWork} from "./ICommittedWork.sol";
import {IRolloutCommitments} from "./IRolloutCommitments.sol";

/// @title IWithheldLeaves
/// @notice Anyone demands a sampled leaf that it can't have; whoever has it shows it on the chain, or the peer loses
/// the
/// round. In r + 1 and r + 2 a leaf can be demanded, and shown until the demand is closed: not before the round after
/// has ended, and `RESPONSE_BLOCKS` blocks have passed, so that a chain that stood still has cost nobody the time.
/// @dev The bond is the challenger's. Who shows the leaf is paid the gas of that from it, so that a peer can't be made
/// to spend, and no more, so that a peer does not gain by holding leaves back.
interface IWithheldLeaves is ICommittedWork {
    /// @notice What became of a demand.
    enum DemandState {
        None,
        Open,
        Shown,
        Withheld
    }

    /// @notice Proof that a leaf was sampled: the environment's specification, which has the numbers of the draw.
    /// @param specification Its canonical dag-cbor, whose hash is the round's environment.
    /// @param owedAt Where in it the name `owedLeaves` begins, with its head byte.
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
    /// @param openedRound The round in which it did.
    /// @param state What became of it.
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
    /// @param throughRound Last round in which the demand can't be closed.
    event LeafDemanded(
        uint64 indexed round,
        bytes32 indexed peerKey,
        uint32 index,
        address indexed challenger,
        uint256 bondWei,
        uint64 throughRound
    );

    /// @notice Emitted when a demanded leaf is shown: its body is in the call.
    /// @param round The round.
    /// @param peerKey The peer.
    /// @param index The leaf's place.
    /// @param responder Who showed it.
    /// @param paidWei What it is owed for that, from the bond.
    event LeafShown(
        uint64 indexed round,
        bytes32 indexed peerKey,
        uint32 index,
        address indexed responder,
        uint256 paidWei
    );

    /// @notice Emitted when a demanded leaf was not shown in time: the peer has no score in that round.
    /// @param round The round.
    /// @param peerKey The peer.
    /// @param index The leaf's place.
    /// @param lostMilli Points that the peer had been given for the round, and loses.
    /// @param challenger Who gets the bond back.
    event LeafWithheld(
        uint64 indexed round,
        bytes32 indexed peerKey,
        uint32 index,
        uint16 lostMilli,
        address indexed challenger
    );

    /// @notice Thrown when a leaf is demanded in another round than r + 1 and r + 2.
    /// @param round The round.
    /// @param currentRound The current round.
    error Challenges_NotDemandable(uint64 round, uint64 currentRound);

    /// @notice Thrown when a specification is not the environment's of the round.
    /// @param round The round.
    /// @param specificationHash Hash of the one given.
    error Challenges_NotEnvironment(uint64 round, bytes32 specificationHash);

    /// @notice Thrown when a place is beyond the leaves sampled, or the leaf there beyond those committed.
    /// @param place The place in the draw.
    /// @param sampled Leaves that are sampled.
    /// @param leafCount Leaves committed.
    error Challenges_NotSampled(uint32 place, uint256 sampled, uint32 leafCount);

    /// @notice Thrown when a leaf is demanded that was demanded before.
    /// @param round The round.
    /// @param peerKey The peer.
    /// @param index The leaf's place.
    error Challenges_AlreadyDemanded(uint64 round, bytes32 peerKey, uint32 index);

    /// @notice Thrown when there is no open demand to answer or to close.
    /// @param round The round.
    /// @param peerKey The peer.
    /// @param index The leaf's place.
    error Challenges_NotDemanded(uint64 round, bytes32 peerKey, uint32 index);

    /// @notice Thrown when a demand is closed in the round of it, or in the next.
    /// @param throughRound Last round in which it can't be.
    /// @param currentRound The current round.
    error Challenges_TooEarly(uint64 throughRound, uint64 currentRound);

    /// @notice Thrown when a demand is closed while the chain has given too few blocks to answer it in.
    /// @param dueBlock First block in which it can be.
    /// @param blockNumber The block.
    error Challenges_TooFewBlocks(uint256 dueBlock, uint256 blockNumber);

    /// @notice Thrown when a leaf's body is larger than `MAX_BODY_BYTES`.
    /// @param bytes_ Its size.
    error Challenges_BodyTooLarge(uint256 bytes_);

    /// @notice Thrown when a body is not what the leaf's header says.
    /// @param bodyHash sha-256 of the body given.
    /// @param expected The header's.
    error Challenges_NotBody(bytes32 bodyHash, bytes32 expected);

    /// @notice Demands the body of a sampled leaf. What the peer earns in that round is held until the demand is
    /// closed.
    /// The bond is what comes with the call, at least `minDemandBond()`.
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

    /// @notice Shows a demanded leaf, until the demand is closed or the commitment forgotten (`RING_ROUNDS`); anyone
    /// may. Its gas is paid from the bond, at a price of at most the bond over `RESPONSE_GAS`; the rest goes back.
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

    /// @notice Closes a demand that was not answered, from the second round after it on, and not before
    /// `RESPONSE_BLOCKS` blocks; anyone may. The bond goes
    /// back,
    /// and the peer loses the round.
    /// @param round The round.
    /// @param peerKey The peer.
    /// @param index The leaf's place.
    function closeDemand(uint64 round, bytes32 peerKey, uint32 index) external;

    /// @notice A demand.
    /// @param round The round.
    /// @param peerKey The peer.
    /// @param index The leaf's place.
    /// @return demand The demand; of state `None` where there was none.
    function demandOf(uint64 round, bytes32 peerKey, uint32 index) external view returns (Demand memory demand);

    /// @notice The least bond of a demand in this block: `RESPONSE_GAS` at twice the base fee, or at
    /// `MIN_GAS_PRICE_WEI` if that is more.
    /// @return bondWei The bond.
    function minDemandBond() external view returns (uint256 bondWei);

    /// @notice The largest body that is shown.
    /// @return bytes_ 65,536.
    function MAX_BODY_BYTES() external view returns (uint256 bytes_);

    /// @notice Gas that showing the largest body takes, transaction and calldata included.
    /// @return gas_ Gas.
    function RESPONSE_GAS() external view returns (uint256 gas_);

    /// @notice Blocks that there are at least to answer a demand in.
    /// @return blocks 16.
    function RESPONSE_BLOCKS() external view returns (uint64 blocks);

    /// @notice The least price of gas that a bond covers.
    /// @return priceWei Wei a unit.
    function MIN_GAS_PRICE_WEI() external view returns (uint256 priceWei);
}
