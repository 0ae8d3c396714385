// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {ICommittedWork} from "./ICommittedWork.sol";
import {IJury} from "./IJury.sol";
import {IRulings} from "./IRulings.sol";

/// @title IAppeals
/// @notice Anyone can appeal a settled score by posting a bond. A jury of `FIRST_JURY` seats decides. Its verdict can
/// be appealed once more, for twice the bond, to `SECOND_JURY` seats, unless the jury found no bundle and left the
/// score unchanged. For an appeal in round a: the beacon of round a draws the seats in a + 1, where they commit; they
/// reveal in a + 2; the next appeal is possible in a + 3, and after that anyone can close the case.
/// @dev A verdict replaces the current score if the two differ by more than the tolerance, and more than half of the
/// seats drawn lie on that side of it: seats that had no time to look are silent, and count for the current score. Half
/// of each bond pays the seats that took part, whatever their verdict. The other half is returned to an appellant whose
/// appealed score was finally overturned; otherwise it goes to the other side. If too few seats take part, agree, or
/// have a bundle to score, there is no verdict: the score stays, and that half is returned. Exception: if more than
/// half of the seats drawn had no bundle, a seat of the original committee had none either, and no jury has scored the
/// peer, the score is removed and no vote is blamed. If the peer loses the round for another reason meanwhile, the case
/// is moot: the verdict changes no score, and bonds and seats are judged as in any other case.
interface IAppeals is ICommittedWork, IJury {
    /// @notice One appeal of a case.
    /// @param appellant Who posted the bond.
    /// @param openedRound The round in which the bond was posted; its beacon draws the seats.
    /// @param seats Seats of that round.
    /// @param bondWei The bond.
    /// @param drawn How many of the seats judge.
    struct Level {
        // slot 0
        address appellant;
        uint64 openedRound;
        uint32 seats;
        // slot 1
        uint128 bondWei;
        uint32 drawn;
    }

    /// @notice Seats that committed to a verdict and were not judged. While the case is open these are all that
    /// committed.
    /// @param round The round.
    /// @param peerKey The peer.
    /// @param level The appeal, 1 or 2.
    /// @return positions A bit for each position.
    function leftToJudge(uint64 round, bytes32 peerKey, uint8 level) external view returns (uint256 positions);

    /// @notice State of a case.
    /// @param levels Appeals so far; 0 where there is no case.
    /// @param isClosed Whether it is over.
    /// @param isMoot Whether it changed no score, since the peer lost the round for another reason.
    /// @param settledOutcome What was settled: as in `IEarnings.outcomeOf`.
    /// @param settledMilli The score that was settled.
    /// @param finalMilli The score that stands, once it is over.
    /// @param seatPayWei Pay of each seat whose vote agrees with the result: within the tolerance of the final score,
    /// or unavailable if that is the result; any vote if there was no verdict.
    /// @param last The newest appeal.
    struct CaseView {
        uint8 levels;
        bool isClosed;
        bool isMoot;
        uint8 settledOutcome;
        uint16 settledMilli;
        uint16 finalMilli;
        uint96 seatPayWei;
        Level last;
    }

    /// @notice Emitted when a peer's score is appealed.
    /// @param round The round.
    /// @param peerKey The peer.
    /// @param appellant Who posted the bond.
    /// @param level 1, or 2 for the appeal of a verdict.
    /// @param bondWei The bond.
    /// @param drawn How many seats will judge.
    event AppealOpened(
        uint64 indexed round,
        bytes32 indexed peerKey,
        address indexed appellant,
        uint8 level,
        uint256 bondWei,
        uint32 drawn
    );

    /// @notice Emitted when a seat commits to its verdict.
    /// @param round The round.
    /// @param peerKey The peer.
    /// @param seatKey The evaluator.
    /// @param level The appeal.
    /// @param position The seat's position among those drawn.
    event VerdictCommitted(
        uint64 indexed round,
        bytes32 indexed peerKey,
        bytes32 indexed seatKey,
        uint8 level,
        uint32 position
    );

    /// @notice Emitted when a seat reveals its verdict.
    /// @param round The round.
    /// @param peerKey The peer.
    /// @param seatKey The evaluator.
    /// @param level The appeal.
    /// @param position The seat's position among those drawn.
    /// @param scoreMilli 0 to 1000, or 65535 for unavailable.
    event VerdictRevealed(
        uint64 indexed round,
        bytes32 indexed peerKey,
        bytes32 indexed seatKey,
        uint8 level,
        uint32 position,
        uint16 scoreMilli
    );

    /// @notice Emitted when a case is over.
    /// @param round The round.
    /// @param peerKey The peer.
    /// @param outcome The outcome that stands, as in `IEarnings.outcomeOf`.
    /// @param scoreMilli The score that stands.
    /// @param settledMilli The score that was settled.
    /// @param isMoot Whether the peer lost the round for another reason meanwhile: then the verdict changes no score.
    event AppealClosed(
        uint64 indexed round,
        bytes32 indexed peerKey,
        uint8 outcome,
        uint16 scoreMilli,
        uint16 settledMilli,
        bool isMoot
    );

    /// @notice Emitted when a seat is paid for a verdict that agrees with the result.
    /// @param round The round.
    /// @param peerKey The peer.
    /// @param seatKey The evaluator.
    /// @param level The appeal.
    /// @param paidWei What it is owed.
    event SeatPaid(
        uint64 indexed round,
        bytes32 indexed peerKey,
        bytes32 indexed seatKey,
        uint8 level,
        uint256 paidWei
    );

    /// @notice Emitted when a seat is blamed for its part in a case.
    /// @param round The round.
    /// @param peerKey The peer.
    /// @param seatKey The evaluator.
    /// @param level The appeal; 0 for the committee that was overturned.
    /// @param fault What it is blamed for.
    event SeatBlamed(
        uint64 indexed round,
        bytes32 indexed peerKey,
        bytes32 indexed seatKey,
        uint8 level,
        IRulings.Fault fault
    );

    /// @notice Thrown when there is no score to appeal, or this is not the time to appeal it.
    /// @param round The round.
    /// @param peerKey The peer.
    /// @param outcome What was settled.
    /// @param currentRound The current round.
    error Challenges_NotAppealable(uint64 round, bytes32 peerKey, uint8 outcome, uint64 currentRound);

    /// @notice Thrown when the bond of an unknown appeal level is requested.
    /// @param level The appeal: 1 for the first.
    /// @param levels Appeals of a case at most.
    error Challenges_NoLevel(uint8 level, uint8 levels);

    /// @notice Thrown when a bond is not the required amount.
    /// @param givenWei Amount sent.
    /// @param dueWei Amount required.
    error Challenges_WrongBond(uint256 givenWei, uint256 dueWei);

    /// @notice Thrown when a peer's round has no open case.
    /// @param round The round.
    /// @param peerKey The peer.
    error Challenges_NoCase(uint64 round, bytes32 peerKey);

    /// @notice Thrown when a step of an appeal is taken in the wrong round.
    /// @param dueRound The round of this step, or the first one that allows it.
    /// @param currentRound The current round.
    error Challenges_WrongRound(uint64 dueRound, uint64 currentRound);

    /// @notice Thrown when a seat would judge its own peer, or its own appeal.
    /// @param account Its account.
    error Challenges_OwnCase(address account);

    /// @notice Thrown when a score is neither in 0 to 1000 nor unavailable.
    /// @param scoreMilli The score.
    error Challenges_ScoreOutOfRange(uint16 scoreMilli);

    /// @notice Appeals a peer's settled score, in r + 3, or a verdict on it, in the third round after the appeal that
    /// led to it. The bond is sent with the call. The peer's earnings of that round are held until the case is closed.
    /// @param round The round.
    /// @param peerKey The peer.
    function appeal(uint64 round, bytes32 peerKey) external payable;

    /// @notice Commits to a seat's verdict, in the round after the appeal.
    /// @dev `commitment` = `keccak256(abi.encode(chainId, address(this), round, peerKey, level, position, seatKey,
    /// scoreMilli, salt))`.
    /// @param round The round.
    /// @param peerKey The peer.
    /// @param position The seat's position among those drawn, as in `juryOf`.
    /// @param seatKey The evaluator; the sender must speak for it, and neither for the peer nor as an appellant.
    /// @param commitment The hash.
    function commitVerdict(
        uint64 round,
        bytes32 peerKey,
        uint32 position,
        bytes32 seatKey,
        bytes32 commitment
    ) external;

    /// @notice Reveals a verdict, in the second round after the appeal; anyone who knows the salt may.
    /// @param round The round.
    /// @param peerKey The peer.
    /// @param position The seat's position.
    /// @param scoreMilli 0 to 1000, or 65535 for unavailable.
    /// @param salt The salt of the commitment.
    function revealVerdict(uint64 round, bytes32 peerKey, uint32 position, uint16 scoreMilli, bytes32 salt) external;

    /// @notice Closes a case: in the third round after the last possible appeal, else in the fourth, or any later one;
    /// anyone may. The verdict takes effect, unless the case is moot; bonds are returned or divided, and committee
    /// members whose votes were overturned are slashed.
    /// @param round The round.
    /// @param peerKey The peer.
    function closeAppeal(uint64 round, bytes32 peerKey) external;

    /// @notice Judges seats of an appeal once the case is closed; anyone may. Seats that voted for the result are paid;
    /// seats that did not reveal, or were overturned, are slashed; each once. Nobody is slashed for a sealed verdict if
    /// the jury had no quorum and the round of its appeal was an outage. Silent seats are neither paid nor slashed.
    /// @param round The round.
    /// @param peerKey The peer.
    /// @param level The appeal, 1 or 2.
    /// @param positions Positions of the seats.
    function judgeSeats(uint64 round, bytes32 peerKey, uint8 level, uint32[] calldata positions) external;

    /// @notice State of a case.
    /// @param round The round.
    /// @param peerKey The peer.
    /// @return state The case.
    function caseOf(uint64 round, bytes32 peerKey) external view returns (CaseView memory state);

    /// @notice The seats that judge the newest appeal of a case; may revert in the round of the appeal, and long after
    /// it.
    /// @param round The round.
    /// @param peerKey The peer.
    /// @return seatKeys The evaluators, by position.
    function juryOf(uint64 round, bytes32 peerKey) external view returns (bytes32[] memory seatKeys);

    /// @notice The bond of an appeal.
    /// @param level 1 or 2.
    /// @return bondWei The bond.
    function appealBond(uint8 level) external view returns (uint256 bondWei);

    /// @notice Seats that judge the first appeal, or all seats if there are fewer.
    /// @return seats 11.
    function FIRST_JURY() external view returns (uint32 seats);

    /// @notice Seats that judge the second appeal, or all seats if there are fewer.
    /// @return seats 23.
    function SECOND_JURY() external view returns (uint32 seats);

    /// @notice Appeals of a case at most.
    /// @return levels 2.
    function MAX_LEVELS() external view returns (uint8 levels);
}
